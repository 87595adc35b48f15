import { Flags } from '@oclif/core';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { parseAssignment } from '../../src/cli/passvault/entries/assignments.ts';
import { editedEntry, sender } from '../../src/cli/passvault/entries/change-entry.ts';
import { changedWords } from '../../src/cli/passvault/entries/entry-changes.ts';
import { editableOf } from '../../src/cli/passvault/entries/entry-text.ts';
import { withAssignments } from '../../src/cli/passvault/entries/entry-values.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import type { VaultSession } from '../../src/cli/passvault/session.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Edit extends VaultCommand {
  static override summary = 'Change an entry, with assignments or in your editor';
  static override description = `Assignments are the same as in conclave vault add; 'notes[delete]' removes a field. The history of the entry keeps a replaced password. Without assignments, VISUAL or EDITOR opens the entry in a file on a RAM disk. Only you can read that file, and it is wiped afterwards. Changes that others make to other fields in the meantime are kept.`;
  static override usage = 'vault edit ENTRY [FIELD=VALUE | FIELD[generate|prompt|file|delete]]...';
  static override examples = [
    '<%= config.bin %> vault edit Work/GitHub',
    "<%= config.bin %> vault edit Work/GitHub username=bob 'password[generate=32]' 'totp-secret[prompt]'",
  ];
  static override strict = false;
  static override args = entryArgument;
  static override flags = { 'allow-disk': Flags.boolean({ description: 'edit on a disk if there is no RAM disk' }) };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Edit);
    const { vault, entry } = await this.inVaults(flags, async (session) => await readNamedEntry(session, args.entry));
    const assignments = (argv as string[]).slice(1).map((text) => parseAssignment(text, entry.type, entry));
    const before = editableOf(entry);
    const editor = { allowDisk: flags['allow-disk'], warn: (message: string) => this.warnOf(message) };
    const send = sender(async (work) => await this.inVaults(flags, work), vault, entry);
    const draft = { entry: before, type: entry.type, heading: `${entry.title} in ${vaultTitle(vault)}` };
    const changed =
      assignments.length > 0
        ? await send(await withAssignments(this.terminal, before, assignments))
        : await editedEntry(this.terminal, draft, editor, send);
    const { title, version } = changed?.entry ?? entry;
    const name = escapeForTerminal(`${vaultTitle(vault)}/${title}`);
    await this.answer({ entryId: entry.id, changed: changed?.fields ?? [], version }, () =>
      changed === undefined ? `${name} was not changed.` : `Changed ${changedWords(changed.fields)} of ${name}.`,
    );
  }

  /** Editing may take all day, so the store is closed before it begins. */
  private async inVaults<T>(
    flags: Parameters<Edit['session']>[0],
    work: (session: VaultSession) => Promise<T>,
  ): Promise<T> {
    await using session = await this.session(flags);
    return await work(session);
  }
}
