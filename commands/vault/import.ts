import { Args, Flags } from '@oclif/core';
import { importFile, describeImport } from '../../src/cli/passvault/transfer/import-file.ts';
import { findVault, vaultTitle } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { importFormats, importNames } from '../../src/contract/passvault/transfer.ts';

export default class Import extends VaultCommand {
  static override summary = 'Import a file of another password manager';
  static override description = `The file is recognised, or --format says whose it is. Of a table that is nobody's (csv), --columns says which column holds what, or you are asked on a terminal. All records are imported or none, but for those that cannot be read, which are listed. A protected file's password is asked for, or given by --password-file or CONCLAVE_IMPORT_PASSWORD.
The file itself is not encrypted: delete it afterwards.`;
  static override examples = [
    '<%= config.bin %> vault import Work bitwarden.json --dry-run',
    '<%= config.bin %> vault import Work export.1pux --skip-duplicates',
    '<%= config.bin %> vault import Work old.csv --columns title=Name,username=Login,password=Pass',
  ];
  static override args = {
    ...vaultArgument,
    file: Args.string({ description: 'the file (- for standard input)', required: true }),
  };
  static override flags = {
    format: Flags.string({
      description: 'what the file is',
      options: ['auto', ...importNames, 'csv', ...importFormats],
      default: 'auto',
    }),
    columns: Flags.string({
      description: 'which columns of a CSV file hold what: title=Name,password=Pass',
      helpValue: 'PART=COLUMN',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'skip-duplicates': Flags.boolean({ description: 'leave out what the vault has already' }),
    'include-recycle-bin': Flags.boolean({ description: 'take what is in the recycle bin of KeePass as well' }),
    'dry-run': Flags.boolean({ description: 'only say what would be imported' }),
    'password-file': Flags.string({ description: 'file with the password of a protected file', helpValue: 'FILE' }),
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
