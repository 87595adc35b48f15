import { Flags } from '@oclif/core';
import { chosenExport, exportNames, exportVault } from '../../src/cli/passvault/transfer/export-vault.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { findVault } from '../../src/cli/passvault/find-vault.ts';
import { writePrivateFile } from '../../src/cli/passvault/transfer/output-file.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Export extends VaultCommand {
  static override summary = 'Export a vault to a file, encrypted with a password';
  static override description = `The format bitwarden contains everything. Conclave and Bitwarden can import it. It is encrypted with a password: the command asks for it twice, or reads it from --password-file or CONCLAVE_EXPORT_PASSWORD. With --plaintext it is not encrypted.
The format csv contains less and cannot be encrypted, so it needs --plaintext. Only you can read the file.`;
  static override examples = [
    '<%= config.bin %> vault export Work --out work.json',
    '<%= config.bin %> vault export Work --format csv --plaintext --out work.csv',
  ];
  static override args = vaultArgument;
  static override flags = {
    format: Flags.string({ description: 'format of the file', options: [...exportNames], default: 'bitwarden' }),
    plaintext: Flags.boolean({ description: 'do not encrypt it: whoever has the file has the passwords' }),
    yes: Flags.boolean({ description: 'do not ask for confirmation of --plaintext', dependsOn: ['plaintext'] }),
    out: Flags.string({ description: 'file to write; without it, standard output', helpValue: 'FILE' }),
    force: Flags.boolean({ description: 'replace an existing file', dependsOn: ['out'] }),
    'password-file': Flags.string({ description: 'file with the password of the new file', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Export);
    const format = chosenExport(flags);
    if (flags.out === undefined && this.terminal.stdout.isTTY === true && !this.wantsJson) {
      throw new Problem('invalid', 'USAGE', 'The file to write is missing. Give it with --out.');
    }
    await using session = await this.session(flags);
    const vault = await findVault(session, args.vault);
    const { content, ...details } = await exportVault(session, vault, format, flags);
    if (flags.out === undefined) return await this.answerText({ ...details, content }, content, { newline: false });
    await writePrivateFile(flags.out, content, { replace: flags.force });
    await this.answer({ ...details, file: flags.out }, () => '');
    this.say(`Wrote ${details.entries} entries of ${vaultTitle(vault)} to ${flags.out}.`);
    if (format !== 'encrypted') this.warnOf('The file is not encrypted: whoever has it has the passwords.');
  }
}
