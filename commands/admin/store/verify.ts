import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { describeChecks } from '../../../src/cli/pool/node-details.ts';
import { node } from '../../../src/contract/node.ts';

export default class Verify extends ApiCommand {
  static override summary = 'Check the database, its references and every block; exit code 1 if something is wrong';
  static override examples = ['<%= config.bin %> admin store verify'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Verify);
    await using client = await this.connect(flags);
    const reply = await this.waitFor('Checking the store', perform(client, node.verifyStore, {}));
    await this.answer(reply, (screen) => describeChecks(screen, reply));
    if (!reply.ok) this.exit(1);
  }
}
