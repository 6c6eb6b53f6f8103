"""The Distance-based Self-Attention Network (Im & Cho 2017, arXiv:1712.02047)."""
