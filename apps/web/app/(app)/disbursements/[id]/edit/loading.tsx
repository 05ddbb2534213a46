import { PageSkeleton } from '../../../../../components/skeletons.tsx';

export default PageSkeleton;
