import { counted } from '../../src/cli/kit/counted.ts';
import { Flags } from '@oclif/core';
import { lookUp } from '../../src/cli/passvault/entries/entry-lookup.ts';
import { readTemplate } from '../../src/cli/passvault/transfer/input-file.ts';
import { writePrivateFile } from '../../src/cli/passvault/transfer/output-file.ts';
import { resolveReferences } from '../../src/cli/passvault/run/resolve-references.ts';
import { fillTemplate, parseTemplate, referencesOf } from '../../src/cli/passvault/run/template.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

export default class Inject extends VaultCommand {
  static override summary = 'Fill a template with secrets';
  static override description =
    'The template has references {{ conclave://vault/entry/field }}. Names without spaces need no braces. Nothing is written unless every reference is found. Only you can read the written file.';
  static override examples = [
    '<%= config.bin %> vault inject --in config.tpl.yml --out config.yml',
    "echo 'password: {{ conclave://Work/db/password }}' | <%= config.bin %> vault inject",
  ];
  static override flags = {
    in: Flags.string({ description: 'template file (- for standard input)', default: '-', helpValue: 'FILE' }),
    out: Flags.string({ description: 'file to write; without it, standard output', helpValue: 'FILE' }),
    force: Flags.boolean({ description: 'replace an existing file', dependsOn: ['out'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Inject);
    const parts = parseTemplate(await readTemplate(this.terminal, flags.in));
    await using session = await this.session(flags);
    const references = referencesOf(parts);
    const valueOf = await resolveReferences(references, lookUp(session), Date.now());
    const filled = fillTemplate(parts, (reference) => valueOf(reference).value);
    const details = { references: references.length };
    if (flags.out === undefined)
      return await this.answerText({ ...details, content: filled }, filled, { newline: false });
    await writePrivateFile(flags.out, filled, { replace: flags.force });
    await this.answer({ ...details, file: flags.out }, () => '');
    this.say(`Wrote ${flags.out}, with ${counted(references.length, 'reference')} filled in.`);
  }
}
