internal import Glibc
internal import Platform
internal import PluginKit

let environment = Environment.current()
exit(PluginServer.run(GraphQLBackend(environment: environment), environment: environment))
