import { type Layout, RECORD_LENGTH, type RecordValues, writeRecord } from './layout.ts';

const LINE_LENGTH = RECORD_LENGTH + 1;
const FIRST_LINES = 512;
const LINE_END = 0x0a;

/** Collects the lines of a file. Each is written directly into bytes, because keeping them as strings costs much more memory. */
export class FileText {
  #bytes = Buffer.allocUnsafe(FIRST_LINES * LINE_LENGTH);
  #lines = 0;

  get lines(): number {
    return this.#lines;
  }

  /** @throws {RangeError} for a value that does not fit its field. */
  add<Name extends string>(layout: Layout<Name>, values: RecordValues<Name>): void {
    const at = this.#lines * LINE_LENGTH;
    if (at === this.#bytes.length) this.#grow();
    writeRecord(this.#bytes, at, layout, values);
    this.#bytes[at + RECORD_LENGTH] = LINE_END;
    this.#lines += 1;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }

  toString(): string {
    return this.#bytes.toString('latin1', 0, this.#lines * LINE_LENGTH);
  }
}
