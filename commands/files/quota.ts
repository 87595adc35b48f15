import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bytes } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Quota extends ApiCommand {
  static override summary = 'Show how much of your quota is used, and by what';
  static override examples = ['<%= config.bin %> files quota'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Quota);
    await using client = await this.connect(flags);
    const usage = await perform(client, filevault.showUsage, {});
    await this.answer(usage, (screen) =>
      table(screen, usage.containers, [
        { title: 'CONTAINER', of: ({ name }) => name, main: true },
        { title: 'USED', of: ({ usedBytes }) => bytes(usedBytes), whole: true },
        { title: 'TRASH', of: ({ trashBytes }) => bytes(trashBytes), whole: true },
        { title: 'OLDER VERSIONS', of: ({ versionsBytes }) => bytes(versionsBytes), whole: true },
        { title: 'UPLOADS', of: ({ reservedBytes }) => bytes(reservedBytes), whole: true },
        { title: 'QUOTA', of: ({ quotaBytes }) => bytes(quotaBytes), whole: true },
      ]),
    );
    const others = usage.usedBytes - usage.filesBytes;
    this.say(
      `You use ${bytes(usage.usedBytes)} of ${bytes(usage.quotaBytes)}; ${bytes(others)} of it are not files: e-mail, attachments, documents.`,
    );
  }
}
