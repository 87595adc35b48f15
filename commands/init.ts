import { Flags } from '@oclif/core';
import { LocalCommand } from '../src/cli/kit/command.ts';
import { configFlags } from '../src/cli/kit/config-flags.ts';
import {
  administratorQuestions,
  alreadyInitialised,
  createAdministrator,
  hasAdministrator,
  randomPassword,
} from '../src/cli/accounts/first-administrator.ts';
import { flagsOf } from '../src/cli/kit/flags.ts';
import { wrapSaid } from '../src/cli/kit/wrap-words.ts';
import { recoveryPhrase } from '../src/cli/accounts/recovery-phrase.ts';
import { members } from '../src/contract/accounts/members.ts';

export default class Init extends LocalCommand {
  static override summary = 'Create a store, a node identity and the first administrator';
  static override description =
    'On a terminal the command asks for the values. Without a terminal, give --username and --email (or their variables), and a password in a file or variable. Or use --generate-password: the command writes the password to first-administrator.txt in the data directory.';
  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init --data-dir ./data --generate-password',
    '<%= config.bin %> init --username root --email root@home.example --password-file ./password',
  ];
  static override flags = {
    ...flagsOf(members.createAdministrator, administratorQuestions),
    ...configFlags(['database']),
    'generate-password': Flags.boolean({
      description: 'make a password and write it to a file',
      exclusive: ['password-file'],
    }),
    'if-missing': Flags.boolean({ description: 'succeed without a change if there is an administrator already' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Init);
    if (await hasAdministrator(() => this.connect(flags))) {
      if (flags['if-missing']) return;
      throw alreadyInitialised();
    }
    const generated = flags['generate-password'];
    const unattended = generated
      ? { given: { password: randomPassword() }, otherwise: { username: 'admin', email: 'admin@localhost' } }
      : {};
    const input = await this.inputFor(members.createAdministrator, flags, { ...administratorQuestions, ...unattended });
    await using client = await this.connect(flags, { create: true });
    const made = await this.waitFor('Creating the first administrator', createAdministrator(client, input, generated));
    const { username, email } = input;
    const { dataDir, memberId, mnemonic, file } = made;
    const shown = file === undefined ? mnemonic : undefined;
    const administrator = `${username} is the administrator of the node in ${dataDir}.`;
    await this.answer({ dataDir, memberId, username, email, credentialsFile: file, mnemonic: shown }, (screen) =>
      [wrapSaid(administrator, screen.width), ...recoveryPhrase(screen, shown)].join('\n'),
    );
    if (file !== undefined) this.say(`The password and the recovery phrase are in ${file}. Read it, then delete it.`);
    this.say(`Next, run: conclave serve. Then in another terminal: conclave login ${username}`);
  }
}
