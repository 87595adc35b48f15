import pg from 'pg';

/** What pg has to know of a query that it only hands on. */
interface Wire {
  parse(query: { name: string; text: string; types: readonly number[] }): void;
  sync(): void;
}

/** The first message that pg sends for a statement: PostgreSQL reads the text and finds out the types of its parameters. Nothing is run. */
class ParsedText {
  readonly text: string;
  readonly #answer: (refusal: string | undefined) => void;
  #refusal: string | undefined;

  constructor(text: string, answer: (refusal: string | undefined) => void) {
    this.text = text;
    this.#answer = answer;
  }

  submit(wire: Wire): void {
    wire.parse({ name: '', text: this.text, types: [] });
    wire.sync();
  }

  /** pg takes this query for ended then, so it reports no end of it. */
  handleError(error: Error): void {
    this.#refusal = error.message;
    this.#answer(this.#refusal);
  }

  handleReadyForQuery(): void {
    this.#answer(this.#refusal);
  }
}

/**
 * Has PostgreSQL read statements as if they were to be run.
 * @param url of a database with the tables of the store
 * @returns by the text, why one can't be run
 */
export async function refusedByPostgres(url: string, texts: Iterable<string>): Promise<Map<string, string>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const refused = new Map<string, string>();
    for (const text of texts) {
      const refusal = await new Promise<string | undefined>((resolve) => {
        client.query(new ParsedText(text, resolve) as unknown as pg.Submittable);
      });
      if (refusal !== undefined) refused.set(text, refusal);
    }
    return refused;
  } finally {
    await client.end();
  }
}
