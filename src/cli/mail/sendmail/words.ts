import { Problem } from '../../../base/problem.ts';

/** What sendmail(8) is called with. */
export interface SendmailWords {
  /** -t: recipients are those in To, Cc and Bcc */
  readonly fromHeader: boolean;
  /** -i, -oi: a line with a single dot is part of the message */
  readonly dotsStay: boolean;
  /** -f, -r */
  readonly sender: string | undefined;
  /** -F */
  readonly name: string | undefined;
  readonly recipients: readonly string[];
  /** options of this program, which begin with two dashes */
  readonly own: readonly string[];
}

/** Letters with a value, which stands in the same word or in the next one. */
const withValue = 'ABbCDeFfhLMNOopRrVX';
/** Letters whose value can only stand in the same word. */
const withRest = 'dq';
const alone = 'cGIimnsTtUvx';

/**
 * Reads arguments as sendmail(8) does: letters can stand together, and what only concerns mail servers is ignored.
 *
 * @param takesValue whether an option of this program takes a value
 * @throws Problem invalid USAGE
 */
export function sendmailWords(argv: readonly string[], takesValue: (name: string) => boolean): SendmailWords {
  const recipients: string[] = [];
  const own: string[] = [];
  const values = new Map<string, string>();
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') recipients.push(...rest.splice(0));
    else if (word.startsWith('--')) {
      own.push(word);
      const next = takesValue(word.slice(2)) ? rest.shift() : undefined;
      if (next !== undefined) own.push(next);
    } else if (word.startsWith('-') && word !== '-') readLetters(word.slice(1), rest, values);
    else recipients.push(word);
  }
  return {
    fromHeader: values.has('t'),
    dotsStay: values.has('i') || values.get('o') === 'i',
    sender: values.get('f') ?? values.get('r'),
    name: values.get('F'),
    recipients,
    own,
  };
}

function readLetters(letters: string, rest: string[], values: Map<string, string>): void {
  for (const [at, letter] of letters.split('').entries()) {
    if (alone.includes(letter)) {
      values.set(letter, '');
      continue;
    }
    const inWord = letters.slice(at + 1);
    if (withRest.includes(letter)) return;
    if (!withValue.includes(letter)) throw usage(`-${letter} is no option of sendmail.`);
    const value = inWord === '' ? rest.shift() : inWord;
    if (value === undefined) throw usage(`-${letter} needs a value.`);
    if (letter === 'b' && value !== 'm')
      throw usage(`-b${value} is not available here: this command only sends a message.`);
    // Of several -o, only -oi is of interest.
    if (letter !== 'o' || value === 'i') values.set(letter, value);
    return;
  }
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
