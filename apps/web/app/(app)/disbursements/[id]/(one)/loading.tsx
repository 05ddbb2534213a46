import { RequestSkeleton } from '../../../../../components/page-skeletons.tsx';

export default RequestSkeleton;
