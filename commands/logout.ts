import { ApiCommand } from '../src/cli/kit/command.ts';
import { endSession } from '../src/cli/accounts/sign-in.ts';

export default class Logout extends ApiCommand {
  static override summary = 'Sign out: end the session and delete the stored sign-in';
  static override examples = ['<%= config.bin %> logout'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    await using client = await this.connect(flags);
    await endSession(client);
    await this.answer({ signedOut: true, server: client.connection.server }, () => `Signed out of ${client.place}.`);
  }
}
