import { CaseSkeleton } from '../../../../components/page-skeletons.tsx';

export default CaseSkeleton;
