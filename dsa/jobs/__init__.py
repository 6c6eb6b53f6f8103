"""Commands that are run in processes of their own, on this machine or on others."""
