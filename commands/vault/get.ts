import { Flags } from '@oclif/core';
import { fieldValue } from '../../src/cli/passvault/entries/field-value.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Get extends VaultCommand {
  static override summary = 'Show an entry, or print one of its fields';
  static override description = `On a terminal, secrets are hidden unless you use --show or --field.
If the output goes to a file or a program, only the main field is printed: the password of a login, the number of a card, the content of a note. --field prints another field, and --json everything.
Fields: title, username, password, url, otp (the current one-time code), totp-secret, cardholder, card-number, expires, cvv, content, notes, and custom fields by name.`;
  static override examples = [
    '<%= config.bin %> vault get Work/GitHub --show',
    'TOKEN=$(<%= config.bin %> vault get Work/GitHub --field "API token")',
    '<%= config.bin %> vault get conclave://Work/GitHub/username',
  ];
  static override args = entryArgument;
  static override flags = {
    field: Flags.string({ description: 'print this field', helpValue: 'NAME' }),
    show: Flags.boolean({ description: 'show secrets', exclusive: ['field'] }),
    newline: Flags.boolean({ description: 'print a line feed at the end', default: true, allowNo: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    await using session = await this.session(flags);
    const { vault, entry, field = flags.field } = await readNamedEntry(session, args.entry);
    if (field === undefined && (this.wantsJson || flags.show || this.terminal.stdout.isTTY === true)) {
      const { describeEntry } = await import('../../src/cli/passvault/entries/entry-details.ts');
      return await this.answer(entry, (screen) => describeEntry(screen, entry, vaultTitle(vault), flags));
    }
    const { name, value } = await fieldValue(entry, field, Date.now());
    await this.answerText({ entryId: entry.id, name, value }, value, flags);
  }
}
