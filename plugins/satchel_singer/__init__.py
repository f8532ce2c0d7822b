"""The backend of Satchel for Singer taps, https://www.singer.io; see ../singer.md."""

VERSION = "1.0"
