import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class BackupCodes extends ApiCommand {
  static override summary = 'Count the unused backup codes, make new ones, or use one up';
  static override description =
    'A backup code lets a new password open your keys when the old one is forgotten. Ten are made at once and shown this once; earlier ones stop working then.';
  static override examples = [
    '<%= config.bin %> account backup-codes',
    '<%= config.bin %> account backup-codes --new > codes.txt',
    '<%= config.bin %> account backup-codes --use',
  ];
  static override flags = {
    new: Flags.boolean({ description: 'make ten new codes in place of the earlier ones', exclusive: ['use'] }),
    use: Flags.boolean({ description: 'use up a code, and set a new password with it' }),
    ...flagsOf(accounts.recoverBackup),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(BackupCodes);
    await using client = await this.connect(flags);
    if (flags.new) {
      const reply = await this.waitFor('Making backup codes', perform(client, accounts.replaceBackupCodes, {}));
      this.say('Keep these codes away from this machine: they are not shown again.');
      await this.answer(reply, () => reply.backupCodes.join('\n'));
    } else if (flags.use) {
      await perform(client, accounts.countBackupCodes, {});
      const ask = { ask: ['new-password'], fresh: ['new-password'] };
      const input = await this.inputFor(accounts.recoverBackup, flags, ask);
      const reply = await this.waitFor('Using the code', perform(client, accounts.recoverBackup, input));
      await this.answer(reply, () => `The code is used up; ${reply.codeCount} are left.`);
    } else {
      const reply = await perform(client, accounts.countBackupCodes, {});
      await this.answer(reply, () => `${reply.codeCount} unused backup codes.`);
    }
  }
}
