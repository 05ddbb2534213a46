import type { TestDatabase } from './database.ts';
import { watchRows } from './row-changes.ts';
import { committedLines, spreadIds, valueWords } from './written-values.ts';

/** Dates in sentences, and months: they depend on the day of the test. */
const DATE_WORDS =
  /\b((Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(day)?, )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}(, 20\d\d)?/g;

export interface ListedCalls {
  /** Writes a value without what differs from run to run. */
  write(value: unknown): string;
  /** Runs work that writes, and compares what it answers and which values it writes with the section of this title. */
  compare<Result>(title: string, work: () => Promise<Result>, answer: (result: Result) => string[]): Promise<Result>;
  /** Runs work that only reads, and compares what it answers. */
  compareRead<Result>(title: string, work: () => Promise<Result>, answer: (result: Result) => string[]): Promise<Result>;
}

/**
 * Compares calls of a server with a committed list of their answers and of the values that they write.
 * @param options.books rows that are left out, because they say how something was done.
 */
export async function listCalls(database: TestDatabase, file: URL, { books }: { books: RegExp }): Promise<ListedCalls> {
  await spreadIds(database);
  const changes = await watchRows(database.db);
  const compareLines = committedLines(file);
  const words = valueWords(new Map(), { timesBefore: new Date(0), daysBefore: '' });
  const times = new Map<string, number>();
  const stable = (line: string) =>
    line
      .replaceAll(DATE_WORDS, 'DAY')
      .replaceAll(/"20\d\d-\d\d"/g, 'MONTH')
      // Nothing refers to these, and a new job would renumber all later ones.
      .replace(/"id":(job|audit_entry) \d+,/, '');
  const compareSection = (title: string, lines: string[]) => {
    const count = (times.get(title) ?? 0) + 1;
    times.set(title, count);
    compareLines(count === 1 ? title : `${title}, ${count}`, lines);
  };
  return {
    write: (value) => stable(words(value)),
    async compare(title, work, answer) {
      const results: Awaited<ReturnType<typeof work>>[] = [];
      const changed = await changes.during(database.db, async () => results.push(await work()));
      const rows = changed.values(words).filter((line) => !books.test(line));
      const [result] = results as [(typeof results)[0]];
      compareSection(title, [...answer(result), ...rows.map(stable)]);
      return result;
    },
    async compareRead(title, work, answer) {
      const result = await work();
      compareSection(title, answer(result));
      return result;
    },
  };
}
