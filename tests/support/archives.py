"""Small archives for tests of downloads."""

import io
import tarfile
import zipfile


def zipped(**members):
    """Returns the bytes of a zip file with the given members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name, text in members.items():
            packed.writestr(name, text)
    return content.getvalue()


def tarred(**members):
    """Returns the bytes of a `.tar.gz` file with the given members and a link."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as packed:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            packed.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("sts/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    return content.getvalue()
