import { titledByCase } from '../../../../../cases/case-title.ts';

export { StatementPage as default } from '../../../../../statements/statement-page.tsx';

export const generateMetadata = titledByCase((name) => `${name} statement`, 'Statement');
