import { Flags } from '@oclif/core';
import { exportVault } from '../../src/cli/vault/export-vault.ts';
import { findVault } from '../../src/cli/vault/find-vault.ts';
import { writePrivateFile } from '../../src/cli/vault/output-file.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/vault/vault-command.ts';
import { exportFormats, type ExportFormat } from '../../src/contract/passvault/transfer.ts';
import { Problem } from '../../src/problem.ts';

export default class Export extends VaultCommand {
  static override summary = 'Export a vault to a file';
  static override description =
    'bitwarden_json holds everything and can be imported again, here and by Bitwarden; csv holds less. Both are not encrypted. encrypted is a Bitwarden export under a password, which is asked for twice or given by --password-file or CONCLAVE_EXPORT_PASSWORD. The file can be read by you alone.';
  static override examples = [
    '<%= config.bin %> vault export Work --format encrypted --out work.json',
    '<%= config.bin %> vault export Work --format csv --out work.csv',
  ];
  static override args = vaultArgument;
  static override flags = {
    format: Flags.string({ description: 'what it becomes', options: [...exportFormats], default: 'bitwarden_json' }),
    out: Flags.string({ description: 'the file to write; without it, standard output', helpValue: 'FILE' }),
    force: Flags.boolean({ description: 'replace the file', dependsOn: ['out'] }),
    'password-file': Flags.string({ description: 'file with the password of an encrypted export', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Export);
    if (flags.out === undefined && this.terminal.stdout.isTTY === true && !this.wantsJson) {
      throw new Problem('invalid', 'USAGE', 'Name the file that is to be written by --out.');
    }
    await using session = await this.session(flags);
    const vault = await findVault(session, args.vault);
    const { content, ...facts } = await exportVault(
      session,
      vault,
      flags.format as ExportFormat,
      flags['password-file'],
    );
    if (flags.out === undefined) return await this.answerText({ ...facts, content }, content, { newline: false });
    await writePrivateFile(flags.out, content, { replace: flags.force });
    await this.answer({ ...facts, file: flags.out }, () => '');
    this.say(`Wrote ${facts.entries} entries of ${vault.name} to ${flags.out}.`);
    if (facts.format !== 'encrypted') this.warnOf('The file is not encrypted: whoever has it has the passwords.');
  }
}
