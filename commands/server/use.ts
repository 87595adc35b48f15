import { Args, Flags } from '@oclif/core';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { chooseServer } from '../../src/cli/accounts/known-servers.ts';

export default class Use extends ConclaveCommand {
  static override summary = 'Choose the server that commands use; local is the store on this machine';
  static override description =
    'conclave login NAME --server URL does the same. For one command use --server, for a shell CONCLAVE_SERVER.';
  static override examples = [
    '<%= config.bin %> server use https://home.example',
    '<%= config.bin %> server use local',
  ];
  static override args = { server: Args.string({ description: 'address of the server, or local', required: true }) };
  static override flags = {
    ca: Flags.string({ description: 'certificate file, or sha256:FINGERPRINT of its certificate', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Use);
    const chosen = await chooseServer(this.terminal.env, args.server, flags.ca);
    this.say(`Commands use ${chosen.username === undefined ? 'the store on this machine' : chosen.server}.`);
    if (chosen.username === null) this.say('Not signed in there yet. Sign in with: conclave login NAME');
    await this.answer(chosen, () => '');
  }
}
