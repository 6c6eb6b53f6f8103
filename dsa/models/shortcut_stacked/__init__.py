"""The shortcut-stacked sentence encoder (Nie & Bansal 2017, arXiv:1708.02312)."""
