export { type ExplainedRecord, explainNachaFile } from './nacha/explain-nacha-file.ts';
export { type ReturnFileEntry, readReturnFile } from './nacha/read-return-file.ts';
export { reasonInWords } from './nacha/reason-codes.ts';
export { isRoutingNumber } from './nacha/routing-number.ts';
