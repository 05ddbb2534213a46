import { RequestsSkeleton } from '../../../../components/page-skeletons.tsx';

export default RequestsSkeleton;
