import { perform } from '../src/client/perform.ts';
import { ApiCommand } from '../src/cli/kit/command.ts';
import { describeStatus } from '../src/cli/pool/node-details.ts';
import { unknownVariables } from '../src/cli/kit/unknown-variables.ts';
import { node } from '../src/contract/node.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show the status of the node: store, addresses, and problems';
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --server https://home.example --json',
  ];

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    for (const text of await unknownVariables(this.terminal.env)) this.warnOf(text);
    await using client = await this.connect(flags);
    const status = await perform(client, node.status, {});
    const running = client.connection.kind !== 'process';
    await this.answer({ running, dataDir: client.connection.dataDir, ...status }, (screen) =>
      describeStatus(screen, client.connection, status),
    );
  }
}
