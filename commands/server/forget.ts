import { Args } from '@oclif/core';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { dropServer, knownServer } from '../../src/cli/accounts/known-servers.ts';
import { endSession } from '../../src/cli/accounts/sign-in.ts';

export default class Forget extends ConclaveCommand {
  static override summary = 'Forget a server: sign out of it, and delete what is stored about it';
  static override description =
    'This works for a server that cannot be reached as well. Its session ends when it expires.';
  static override examples = ['<%= config.bin %> server forget https://home.example'];
  static override args = { server: Args.string({ description: 'address of the server', required: true }) };

  async run(): Promise<void> {
    const { args } = await this.parse(Forget);
    const { server, current, username } = await knownServer(this.terminal.env, args.server);
    const signedOut = username !== null && (await this.signedOut(server));
    await dropServer(this.terminal.env, server);
    this.say(`Forgot ${server}.${current ? ' Commands use the store on this machine.' : ''}`);
    await this.answer({ server, signedOut }, () => '');
  }

  private async signedOut(server: string): Promise<boolean> {
    try {
      await using client = await this.connect({ server });
      await endSession(client);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.warnOf(`Could not end the session at ${server}: ${why}`);
      return false;
    }
  }
}
