"""The backend of Satchel for Kinto servers, https://docs.kinto-storage.org; see ../kinto.md."""

VERSION = "1.0"
