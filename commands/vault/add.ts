import { Args, Flags } from '@oclif/core';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import type { Use } from '../../src/cli/passvault/browse/browsing.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { addEntry, typesByName } from '../../src/cli/passvault/entries/new-entry.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Add extends VaultCommand {
  static override summary = 'Add an entry to a vault';
  static override description = `Give fields as assignments: username=alice, url=https://…, tags=a,b, notes=…, favorite=yes. Secrets are not accepted as arguments. They are generated, asked for, or read from a file: 'password[generate]' ('password[generate=32]', 'password[generate=6words]'), 'password[prompt]', 'password[file]=PATH' (- for standard input). 'Account[text]=4711' and 'PIN[hidden]' add custom fields. Put quotes around brackets, because shells expand them.
Without assignments the command asks on a terminal, or opens your editor with --editor.`;
  static override usage = 'vault add VAULT/TITLE [FIELD=VALUE | FIELD[generate|prompt|file]]... [--type TYPE]';
  static override examples = [
    "<%= config.bin %> vault add Work/GitHub username=alice url=https://github.com 'password[generate]'",
    "<%= config.bin %> vault add Work/GitHub < token.txt username=alice 'password[file]=-'",
    '<%= config.bin %> vault add Home/Visa --type card',
  ];
  static override strict = false;
  static override args = { entry: Args.string({ description: '<vault>/<title> of the new entry', required: true }) };
  static override flags = {
    type: Flags.string({ description: 'type of the entry', options: Object.keys(typesByName), default: 'login' }),
    generate: Flags.boolean({ description: "the same as 'password[generate]'" }),
    editor: Flags.boolean({ description: 'write the entry in VISUAL or EDITOR, on a RAM disk' }),
    'allow-disk': Flags.boolean({ description: 'edit on a disk if there is no RAM disk', dependsOn: ['editor'] }),
    duplicate: Flags.boolean({ description: 'add it even if the vault has an entry of this title' }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Add);
    const warn = (message: string) => this.warnOf(message);
    const use: Use = async (work) => {
      await using session = await this.session(flags);
      return await work(session);
    };
    const { vault, entry } = await addEntry(this.terminal, use, args.entry, {
      type: typesByName[flags.type as keyof typeof typesByName],
      assignments: [...(argv as string[]).slice(1), ...(flags.generate ? ['password[generate]'] : [])],
      editor: flags.editor ? { allowDisk: flags['allow-disk'], warn } : undefined,
      duplicate: flags.duplicate,
    });
    const added = { vault: { id: vault.id, name: vault.name }, entry };
    await this.answer(added, () => escapeForTerminal(`Added ${vaultTitle(vault)}/${entry.title}.`));
  }
}
