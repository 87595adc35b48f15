import { Args, Flags } from '@oclif/core';
import { importFile, describeImport } from '../../src/cli/passvault/transfer/import-file.ts';
import { vaultTitle } from '../../src/base/vault-names.ts';
import { findVault } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { importFormats, importNames } from '../../src/contract/passvault/transfer.ts';

export default class Import extends VaultCommand {
  static override summary = 'Import a file from another password manager';
  static override description = `The command recognises the format, or you name it with --format. For any other CSV file, name the columns with --columns, or answer the questions on a terminal. Either all readable records are imported or none. Records that cannot be read are listed. For an encrypted file, the command asks for the password, or reads it from --password-file or CONCLAVE_IMPORT_PASSWORD.
Delete the file afterwards if it is not encrypted.`;
  static override examples = [
    '<%= config.bin %> vault import Work bitwarden.json --dry-run',
    '<%= config.bin %> vault import Work export.1pux --skip-duplicates',
    '<%= config.bin %> vault import Work old.csv --columns title=Name,username=Login,password=Pass',
  ];
  static override args = {
    ...vaultArgument,
    file: Args.string({ description: 'file to import (- for standard input)', required: true }),
  };
  static override flags = {
    format: Flags.string({
      description: 'format of the file',
      options: ['auto', ...importNames, 'csv', ...importFormats],
      default: 'auto',
    }),
    columns: Flags.string({
      description: 'columns of a CSV file: title=Name,password=Pass',
      helpValue: 'PART=COLUMN',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'skip-duplicates': Flags.boolean({ description: 'skip entries that the vault has already' }),
    'include-recycle-bin': Flags.boolean({ description: 'import the recycle bin of KeePass as well' }),
    'dry-run': Flags.boolean({ description: 'only show what would be imported' }),
    'password-file': Flags.string({ description: 'file with the password of an encrypted file', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Import);
    await using session = await this.session(flags);
    const vault = await findVault(session, args.vault);
    const reply = await this.waitFor(`Importing into ${vaultTitle(vault)}`, async (teller) =>
      importFile(session, vault, args.file, {
        format: flags.format,
        skipDuplicates: flags['skip-duplicates'],
        includeRecycleBin: flags['include-recycle-bin'],
        dryRun: flags['dry-run'],
        passwordFile: flags['password-file'],
        columns: flags.columns ?? [],
        teller,
      }),
    );
    await this.answer(reply, (screen) => describeImport(screen, vaultTitle(vault), reply));
    if (!reply.dryRun && reply.imported > 0 && args.file !== '-')
      this.say(`Now delete ${args.file}, which is not encrypted.`);
  }
}
