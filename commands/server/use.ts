import { Args, Flags } from '@oclif/core';
import { ConclaveCommand } from '../../src/cli/command.ts';
import { listServers, serverNamed, thisMachine } from '../../src/cli/known-servers.ts';
import { useServer, useThisMachine } from '../../src/client/server-choice.ts';
import { signInFolder } from '../../src/client/sign-ins.ts';
import { readTrust } from '../../src/client/trust.ts';
import { Problem } from '../../src/problem.ts';

export default class Use extends ConclaveCommand {
  static override summary = 'Choose the server that commands use; local is the store on this machine';
  static override description =
    'conclave login NAME --server URL does the same. For one command name a server by --server, for a shell by CONCLAVE_SERVER.';
  static override examples = [
    '<%= config.bin %> server use https://home.example',
    '<%= config.bin %> server use local',
  ];
  static override args = { server: Args.string({ description: 'address of a server, or local', required: true }) };
  static override flags = {
    ca: Flags.string({ description: 'certificate file, or sha256:FINGERPRINT of its certificate', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Use);
    const { env } = this.terminal;
    const folder = signInFolder(env);
    if (args.server === thisMachine) {
      if (flags.ca !== undefined)
        throw new Problem('invalid', 'USAGE', '--ca is for servers: local has no certificate.');
      await useThisMachine(folder);
      this.say('Commands use the store on this machine.');
      return await this.answer({ server: thisMachine }, () => '');
    }
    const server = serverNamed(args.server);
    if (flags.ca !== undefined) await readTrust(flags.ca);
    await useServer(folder, server, flags.ca);
    const username = (await listServers(env)).find((one) => one.server === server)?.username ?? null;
    this.say(`Commands use ${server}.`);
    if (username === null) this.say('Nobody is signed in there yet: conclave login NAME');
    await this.answer({ server, username }, () => '');
  }
}
