import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useCompany } from './company.ts';
import { LandingSkeleton, OtherClient } from './landing.tsx';

/** Opens the Overview for users who launch Tallybridge in QuickBooks, unless the company belongs to another client. */
export function Component() {
  const navigate = useNavigate();
  const { realmId, found } = useCompany();
  const isOther = found.data?.company === 'other';
  const isKnown = realmId === null || !found.isPending;
  useEffect(() => {
    if (isKnown && !isOther) void navigate('/my', { replace: true });
  }, [isKnown, isOther, navigate]);
  if (isOther) return <OtherClient client={found.data?.client ?? null} />;
  return <LandingSkeleton title="Opening Tallybridge" />;
}
