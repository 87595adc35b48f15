import { collectPages } from '../../src/client/pages.ts';
import { canaryTable } from '../../src/cli/files/canaries.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Canary extends ApiCommand {
  static override summary = 'List your canaries';
  static override examples = ['<%= config.bin %> files canary'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Canary);
    await using client = await this.connect(flags);
    const { items: bindings } = await collectPages(client, filevault.listCanaries, {}, 'bindings');
    await this.answer({ bindings }, (screen) => canaryTable(screen, bindings));
  }
}
