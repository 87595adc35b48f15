import { Flags } from '@oclif/core';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { parseAssignment } from '../../src/cli/passvault/entries/assignments.ts';
import { editedEntry, sender } from '../../src/cli/passvault/entries/change-entry.ts';
import { changedWords } from '../../src/cli/passvault/entries/entry-changes.ts';
import { editableOf } from '../../src/cli/passvault/entries/entry-text.ts';
import { withAssignments } from '../../src/cli/passvault/entries/entry-values.ts';
import { readNamedEntry } from '../../src/cli/passvault/entries/find-entry.ts';
import { vaultTitle } from '../../src/cli/passvault/find-vault.ts';
import type { VaultSession } from '../../src/cli/passvault/session.ts';
import { entryArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Edit extends VaultCommand {
  static override summary = 'Change an entry, by assignments or in your editor';
  static override description = `Assignments are those of conclave vault add; 'notes[delete]' takes something away. A password that is replaced goes to the history of the entry. Without assignments the entry is opened in VISUAL or EDITOR, in a file on a RAM disk that only you can read and that is wiped afterwards. What others changed meanwhile stays, unless it is the same.`;
  static override usage = 'vault edit ENTRY [FIELD=VALUE | FIELD[generate|prompt|file|delete]]...';
  static override examples = [
    '<%= config.bin %> vault edit Work/GitHub',
    "<%= config.bin %> vault edit Work/GitHub username=bob 'password[generate=32]' 'totp-secret[prompt]'",
  ];
  static override strict = false;
  static override args = entryArgument;
  static override flags = { 'allow-disk': Flags.boolean({ description: 'edit on a disk where there is no RAM disk' }) };

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
      changed === undefined ? `Nothing of ${name} was changed.` : `Changed ${changedWords(changed.fields)} of ${name}.`,
    );
  }

  /** The store is closed again before somebody edits, which may take all day. */
  private async inVaults<T>(
    flags: Parameters<Edit['session']>[0],
    work: (session: VaultSession) => Promise<T>,
  ): Promise<T> {
    await using session = await this.session(flags);
    return await work(session);
  }
}
