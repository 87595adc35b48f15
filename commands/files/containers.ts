import { allContainers } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bytes, moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';

export default class Containers extends ApiCommand {
  static override summary = 'List your containers, and those in which you may see something';
  static override examples = ['<%= config.bin %> files containers'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Containers);
    await using client = await this.connect(flags);
    const containers = await allContainers(client);
    await this.answer({ containers }, (screen) =>
      table(screen, containers, [
        { title: 'NAME', of: ({ name }) => name, main: true },
        { title: 'STATE', of: ({ state }) => state, whole: true },
        { title: 'FILES', of: ({ fileCount }) => String(fileCount), whole: true },
        { title: 'USED', of: ({ usedBytes }) => bytes(usedBytes), whole: true },
        { title: 'QUOTA', of: ({ quotaBytes }) => bytes(quotaBytes), whole: true },
        { title: 'CREATED', of: ({ createdAt }) => moment(screen, createdAt), whole: true },
        { title: 'ID', of: ({ id }) => id, spare: true },
      ]),
    );
    if (containers.length === 0) this.say('You have no container. Create one with: conclave files create NAME');
  }
}
