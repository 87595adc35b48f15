import { containerTable } from '../../src/cli/files/container-table.ts';
import { allContainers } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Containers extends ApiCommand {
  static override summary = 'List your containers, and those in which you may see something';
  static override examples = ['<%= config.bin %> files containers'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Containers);
    await using client = await this.connect(flags);
    const containers = await allContainers(client);
    await this.answer({ containers }, (screen) => containerTable(screen, containers));
    if (containers.length === 0) this.say('You have no container. Create one with: conclave files create NAME');
  }
}
