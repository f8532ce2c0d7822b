import Platform
import Plugins
import Testing

@Suite struct `Templates of backends` {
    private static let folder = Path.join(Path.parent(#filePath), "../../plugins/templates")

    @Test(arguments: PluginTemplate.allCases)
    func `are in the program as they are in the repository`(template: PluginTemplate) throws {
        let bytes = try Files.read(Path.normalise(Path.join(Self.folder, template.file)))
        #expect(template.text.utf8.elementsEqual(bytes), "\(template.file)")
    }

    @Test(arguments: PluginTemplate.allCases)
    func `are under 80 lines`(template: PluginTemplate) {
        #expect(template.text.utf8.count { $0 == 10 } < 80)
    }

    @Test(arguments: PluginTemplate.allCases)
    func `take a name`(template: PluginTemplate) {
        let program = template.program(named: "mine")
        #expect(!program.contains("NAME") && program.contains("satchel-backend-mine"))
    }
}
