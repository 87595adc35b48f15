import { Flags } from '@oclif/core';
import { clearAfter } from '../../src/cli/passvault/clipboard/clipboard-clearing.ts';
import { copySecret } from '../../src/cli/passvault/clipboard/copy-secret.ts';
import { fieldValue } from '../../src/cli/passvault/entries/field-value.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Copy extends VaultCommand {
  static override summary = 'Copy the password of an entry, or another field, to the clipboard';
  static override description =
    'The clipboard is cleared after 45 s if it still has what was copied. The command does not wait for that. Over SSH the text goes through the terminal (OSC 52) to the clipboard of your own machine. That clipboard cannot be read, so it is not cleared.';
  static override examples = [
    '<%= config.bin %> vault copy Work/GitHub',
    '<%= config.bin %> vault copy Work/GitHub --field otp',
  ];
  static override args = entryArgument;
  static override flags = {
    field: Flags.string({
      description: 'field to copy instead of the password; see conclave vault get',
      helpValue: 'NAME',
    }),
    'clear-after': Flags.integer({
      description: 'seconds until the clipboard is cleared; 0 for never',
      default: clearAfter,
      min: 0,
      max: 86_400,
      helpValue: 'N',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Copy);
    await using session = await this.session(flags);
    const { vault, entry, field = flags.field } = await readNamedEntry(session, args.entry);
    const { name, value } = await fieldValue(entry, field, Date.now());
    const what = `${name} of ${vaultTitle(vault)}/${entry.title}`;
    const { said, certain, clearAfterSeconds } = await copySecret(this.terminal, what, value, flags['clear-after']);
    this.say(said);
    await this.answer({ entryId: entry.id, [certain ? 'copied' : 'asked']: name, clearAfterSeconds }, () => '');
  }
}
