"""ASGI application of the page, with its security headers and style."""

from typing import TYPE_CHECKING

from dsa.inference.page.answers import ANSWER_STYLE
from dsa.inference.page.word_maps import SCRIPT, STYLE
from dsa.inference.web_server import LOOPBACK_HEADERS

if TYPE_CHECKING:
    import fastapi
    import gradio  # at run time imported after `serve_page` has disabled analytics

# prevents the browser from connecting to other hosts
CONTENT_SECURITY_POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' "
    "blob:; style-src 'self' 'unsafe-inline'"
)


def build_application(page: "gradio.Blocks") -> "fastapi.FastAPI":
    """Builds the ASGI application of the page.

    The application only accepts requests with a `Host` header of this machine, which
    prevents DNS rebinding, and sends a content security policy.

    Args:
        page: the page, from `build_page`.
    """
    import gradio as gr
    from fastapi import FastAPI, Request
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    app = FastAPI()
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK_HEADERS)

    @app.middleware("http")
    async def add_policy(request: Request, call_next):
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        return response

    theme = gr.themes.Base(
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
        spacing_size="sm",
    )
    return gr.mount_gradio_app(
        app,
        page,
        path="/",
        theme=theme,
        css=STYLE + ANSWER_STYLE,
        head=SCRIPT,
        ssr_mode=False,
        footer_links=[],
    )
