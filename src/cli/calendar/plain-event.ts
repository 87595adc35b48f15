import { Problem } from '../../base/problem.ts';
import { NotUnderstood, readWhen, type Reader, type When } from './plain-words.ts';

/** An event in plain words. */
export interface PlainEvent {
  readonly title: string;
  /** when it is, as it was written */
  readonly words: string;
  readonly when: When;
}

/** What ends so says when something is, in words that are not understood. */
const goesOn = /(?<!\S)(?:until|till?|through|every|each|for)$/i;

/** A title longer than this is not looked through for times. */
const MOST_WORDS = 60;

/**
 * Reads `Lunch with Bob tomorrow 12:30 1h`: when it is stands at the end or at the beginning, as many words as say when it is, and the rest
 * is the title.
 * @throws Problem invalid USAGE that says what can be written
 */
export async function readEvent(text: string, reader: Reader): Promise<PlainEvent> {
  const words = text.trim().split(/\s+/);
  const last = Math.min(words.length, MOST_WORDS);
  let refused: Problem | undefined;
  const tried = async (title: readonly string[], when: readonly string[]): Promise<PlainEvent | undefined> => {
    try {
      const said = when.join(' ');
      return { title: tidied(title.join(' ')), words: said, when: await readWhen(said, reader) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The longest that is refused for another reason says best what is wrong.
      if (!(error instanceof NotUnderstood)) refused ??= error;
      return undefined;
    }
  };
  for (let count = last - 1; count > 0; count -= 1) {
    const at = words.length - count;
    const found =
      (await tried(words.slice(0, at), words.slice(at))) ?? (await tried(words.slice(count), words.slice(0, count)));
    if (found !== undefined && found.title !== '' && !goesOn.test(found.title)) return found;
  }
  if (refused !== undefined) throw refused;
  const message = `Could not tell when ${JSON.stringify(text.trim())} is. Write a title and when it is, such as "Lunch with Bob tomorrow 12:30 1h", "Stand-up every weekday 9:00 15 min", or "Trip 12 May until 15 May".`;
  throw new Problem('invalid', 'USAGE', message);
}

/** Without what only joins a title to what follows it. */
function tidied(title: string): string {
  return title
    .replace(/^(?:[,;:–—-]\s*)+/, '')
    .replace(/(?:\s*[,;:–—-]|\s+(?:on|at|from))+$/i, '')
    .trim();
}
