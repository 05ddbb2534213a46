export { CasePage as default, caseMetadata as generateMetadata } from '../../../../cases/case-page.tsx';
