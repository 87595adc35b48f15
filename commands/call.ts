import { Args, Flags } from '@oclif/core';
import { perform } from '../src/client/perform.ts';
import { checkByteFlags, downloadFile, uploadFile } from '../src/cli/kit/call-bytes.ts';
import { givenFor, operationNamed } from '../src/cli/kit/call-input.ts';
import { ApiCommand } from '../src/cli/kit/command.ts';
import { escapedJson } from '../src/cli/kit/escape-for-terminal.ts';
import { operationTable } from '../src/cli/kit/operation-table.ts';
import { Problem } from '../src/base/problem.ts';

export default class Call extends ApiCommand {
  static override summary = 'Call any operation of the API';
  static override description =
    'Give values as name=value, or as a JSON object with --input or --input-file. Secrets are not accepted as arguments.';
  static override usage =
    'call OPERATION [NAME=VALUE]... [--input JSON | --input-file FILE] [--body FILE] [--output FILE] | --list';
  static override examples = [
    '<%= config.bin %> call --list',
    '<%= config.bin %> call account.update-settings timezone=Europe/Berlin darkMode=true',
    'echo \'{"username":"alice","password":"…"}\' | <%= config.bin %> call account.login --input-file -',
  ];
  static override strict = false;
  static override args = { operation: Args.string({ description: 'id of the operation; see --list' }) };
  static override flags = {
    list: Flags.boolean({ description: 'list the operations' }),
    input: Flags.string({ description: 'JSON object', helpValue: 'JSON' }),
    'input-file': Flags.string({ description: 'file with a JSON object (- for standard input)', helpValue: 'FILE' }),
    body: Flags.string({ description: 'file that an upload sends (- for standard input)', helpValue: 'FILE' }),
    type: Flags.string({ description: 'media type of --body', helpValue: 'TYPE' }),
    output: Flags.string({ description: 'new file for the content of a download', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Call);
    const [id, ...assignments] = argv as string[];
    if (flags.list) return await this.answer(...operationTable());
    if (id === undefined)
      throw new Problem('invalid', 'USAGE', 'The operation is missing. List all operations with: conclave call --list');
    const operation = operationNamed(id);
    checkByteFlags(operation, flags);
    const given = await givenFor(this.terminal, operation, flags, assignments);
    const input = await this.inputFor(
      operation,
      {},
      { given, way: ({ key, secret }) => (secret ? '--input-file' : `${key}=… or --input-file`) },
    );
    await using client = await this.connect(flags);
    if (operation.form === 'raw') return await downloadFile(this.terminal, client, operation, input, flags);
    const reply = await (operation.form === 'upload'
      ? uploadFile(this.terminal, client, operation, input, flags)
      : this.waitFor('Waiting for the answer', perform(client, operation, input)));
    const { timezone } = given as { readonly timezone?: unknown };
    if (operation.id === 'account.update-settings' && typeof timezone === 'string') await client.noteTimezone(timezone);
    await this.answer(reply, () => escapedJson(reply));
  }
}
