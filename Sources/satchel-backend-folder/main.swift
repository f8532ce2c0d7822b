internal import Glibc
internal import Platform
internal import PluginKit

exit(PluginServer.run(FolderBackend(), environment: .current()))
