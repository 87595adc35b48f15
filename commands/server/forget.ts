import { Args } from '@oclif/core';
import { ConclaveCommand } from '../../src/cli/command.ts';
import { listServers, serverNamed } from '../../src/cli/known-servers.ts';
import { endSession } from '../../src/cli/sign-in.ts';
import { forgetServer } from '../../src/client/server-choice.ts';
import { removeSignIn, readSignIn, signInFolder } from '../../src/client/sign-ins.ts';
import { Problem } from '../../src/problem.ts';

export default class Forget extends ConclaveCommand {
  static override summary = 'Forget a server: sign out there, and drop what is kept about it';
  static override description =
    'A server that cannot be reached is forgotten all the same; its session then ends by itself.';
  static override examples = ['<%= config.bin %> server forget https://home.example'];
  static override args = { server: Args.string({ description: 'address of a server', required: true }) };

  async run(): Promise<void> {
    const { args } = await this.parse(Forget);
    const server = serverNamed(args.server);
    const known = (await listServers(this.terminal.env)).find((one) => one.server === server);
    if (known === undefined)
      throw new Problem('missing', 'SERVER_UNKNOWN', `Nothing is kept about ${server}. See: conclave server list`);
    const signedOut = known.username !== null && (await this.signedOut(server));
    const folder = signInFolder(this.terminal.env);
    const left = await readSignIn(folder, server);
    if (left !== undefined) await removeSignIn(folder, server, left.token);
    await forgetServer(folder, server);
    this.say(`Forgot ${server}.${known.current ? ' Commands use the store on this machine.' : ''}`);
    await this.answer({ server, signedOut }, () => '');
  }

  private async signedOut(server: string): Promise<boolean> {
    try {
      await using client = await this.connect({ server });
      await endSession(client);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.warnOf(`The session at ${server} was not ended: ${why}`);
      return false;
    }
  }
}
