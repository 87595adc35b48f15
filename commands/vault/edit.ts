import { Flags } from '@oclif/core';
import { harmless } from '../../src/cli/harmless.ts';
import { parseAssignment } from '../../src/cli/vault/assignments.ts';
import { editedEntry, sendChanges } from '../../src/cli/vault/change-entry.ts';
import { editableOf } from '../../src/cli/vault/entry-text.ts';
import { withAssignments } from '../../src/cli/vault/entry-values.ts';
import { readNamedEntry } from '../../src/cli/vault/find-entry.ts';
import { entryArgument, VaultCommand } from '../../src/cli/vault/vault-command.ts';

export default class Edit extends VaultCommand {
  static override summary = 'Change an entry, by assignments or in your editor';
  static override description = `Assignments are those of conclave vault add; 'notes[delete]' takes something away. A password that is replaced goes to the history of the entry. Without assignments the entry is opened in VISUAL or EDITOR, in a file on a RAM disk that only you can read and that is wiped afterwards. What others changed meanwhile stays, unless it is the same.`;
  static override examples = [
    '<%= config.bin %> vault edit Work/GitHub',
    "<%= config.bin %> vault edit Work/GitHub username=bob 'password[generate=32]' 'totp-secret[prompt]'",
  ];
  static override strict = false;
  static override args = entryArgument;
  static override flags = { 'allow-disk': Flags.boolean({ description: 'edit on a disk where there is no RAM disk' }) };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Edit);
    const { vault, entry } = await this.read(args.entry, flags);
    const assignments = (argv as string[]).slice(1).map((text) => parseAssignment(text, entry.type, entry));
    const before = editableOf(entry);
    const editor = { allowDisk: flags['allow-disk'], warn: (message: string) => this.warnOf(message) };
    const after =
      assignments.length > 0
        ? await withAssignments(this.terminal, before, assignments)
        : await editedEntry(this.terminal, before, entry.type, `${entry.title} in ${vault.name}`, editor);
    await using session = await this.session(flags);
    const changed = after && (await sendChanges(session, vault, entry, after));
    const { title, version } = changed?.entry ?? entry;
    const name = harmless(`${vault.name}/${title}`);
    await this.answer({ entryId: entry.id, changed: changed?.fields ?? [], version }, () =>
      changed === undefined ? `Nothing of ${name} was changed.` : `Changed ${changed.fields.join(', ')} of ${name}.`,
    );
  }

  /** The store is closed again before somebody edits, which may take all day. */
  private async read(name: string, flags: Parameters<Edit['session']>[0]) {
    await using session = await this.session(flags);
    return await readNamedEntry(session, name);
  }
}
