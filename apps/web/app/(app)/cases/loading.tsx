import { CasesSkeleton } from '../../../components/page-skeletons.tsx';

export default CasesSkeleton;
