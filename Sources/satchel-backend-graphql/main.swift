internal import Glibc
internal import Platform
internal import PluginKit

let environment = Environment.current()
exit(PluginServer.run(EitherBackend(environment: environment), environment: environment))
