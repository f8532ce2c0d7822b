"""Small disks that fill up, in a mount namespace of their own."""

import errno
import os
import shutil
import subprocess
import sys

NAMESPACE = "SATCHEL_DISK_NAMESPACE"
#: Says to whoever started the script that no small disk can be had here.
IMPOSSIBLE = 77


def enter_namespace():
    """Runs this script again where it may mount; leaves with `IMPOSSIBLE` where that is refused."""
    if os.environ.get(NAMESPACE):
        return
    for words in (["unshare", "-rm"], ["unshare", "-m"]):
        tried = subprocess.run([*words, "mount", "-t", "tmpfs", "-o", "size=64k", "none", "/mnt"],
                               capture_output=True, text=True)
        if tried.returncode == 0:
            os.environ[NAMESPACE] = "1"
            os.execvp(words[0], [*words, sys.executable, *sys.argv])
    print(f"no small disk can be mounted here: {tried.stderr.strip()}", file=sys.stderr)
    sys.exit(IMPOSSIBLE)


class SmallDisk:
    """A file system of a few megabytes, whose room is taken away and given back."""

    def __init__(self, path, size="3m"):
        self.path = path
        self.ballast = os.path.join(path, "ballast")
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", path], check=True)

    def fill(self, leaving=0):
        """Takes all room but `leaving` bytes."""
        self.free()
        room = shutil.disk_usage(self.path).free - leaving
        with open(self.ballast, "wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, max(room, 1))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self):
        if os.path.exists(self.ballast):
            os.remove(self.ballast)

    def close(self):
        subprocess.run(["umount", "-l", self.path], check=True)
