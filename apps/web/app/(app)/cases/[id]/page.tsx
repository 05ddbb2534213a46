export { CasePage as default } from '../../../../cases/case-page.tsx';
export { caseMetadata as generateMetadata } from '../../../../cases/case-title.ts';
