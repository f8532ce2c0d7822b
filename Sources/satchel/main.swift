internal import Shell
