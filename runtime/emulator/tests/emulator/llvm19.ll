target triple = "nvptx64-nvidia-cuda"
@sm = internal addrspace(3) global [128 x i32] undef, align 4
@tab = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 -4], align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare {i32,i1} @llvm.nvvm.shfl.sync.up.i32p(i32,i32,i32,i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32,i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.cttz.i32(i32,i1)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.fshl.i32(i32,i32,i32)

define internal {i32,i32} @mix(i32 %a, i64 %b, [4 x i32] %c) noinline {
  %t = trunc i64 %b to i32
  %x = mul i32 %a, %t
  %c0 = extractvalue [4 x i32] %c, 3
  %y = add i32 %x, %c0
  %r = insertvalue {i32,i32} undef, i32 %x, 0
  %s = insertvalue {i32,i32} %r, i32 %y, 1
  ret {i32,i32} %s
}
define internal void @bump(ptr %p) noinline {
  %l = load i32, ptr %p
  %l2 = add i32 %l, 1
  store i32 %l2, ptr %p
  ret void
}
; out[4 tid ..] from in[4 tid ..]; one block of 64
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i64 = zext i32 %tid to i64
  %p = getelementptr [4 x i32], ptr addrspace(1) %in, i64 %i64
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  %v0 = extractelement <4 x i32> %v, i32 0
  %v1 = extractelement <4 x i32> %v, i32 1
  %sp = getelementptr [128 x i32], ptr addrspace(3) @sm, i32 0, i32 %tid
  store i32 %v0, ptr addrspace(3) %sp
  call void @llvm.nvvm.barrier0()
  %tx = xor i32 %tid, 33
  %sp2 = getelementptr [128 x i32], ptr addrspace(3) @sm, i32 0, i32 %tx
  %other = load i32, ptr addrspace(3) %sp2
  br label %loop
loop:
  %k = phi i32 [0,%entry],[%k1,%next]
  %acc = phi i32 [%v0,%entry],[%acc2,%next]
  %odd = and i32 %acc, 1
  %oc = icmp eq i32 %odd, 0
  br i1 %oc, label %ev, label %od
ev:
  %e1 = lshr i32 %acc, 1
  br label %next
od:
  %o1 = mul i32 %acc, 3
  %o2 = add i32 %o1, 1
  br label %next
next:
  %acc2 = phi i32 [%e1,%ev],[%o2,%od]
  %k1 = add i32 %k, 1
  %kc = icmp ult i32 %k1, %v1
  %ac = icmp ne i32 %acc2, 1
  %lc = and i1 %kc, %ac
  br i1 %lc, label %loop, label %done
done:
  %s2p = call {i32,i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %acc2, i32 1, i32 0)
  %s2 = extractvalue {i32,i1} %s2p, 0
  %s2b = extractvalue {i32,i1} %s2p, 1
  %s3 = select i1 %s2b, i32 %s2, i32 0
  %big = icmp ugt i32 %acc2, 100
  %bal = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %big)
  %pc = call i32 @llvm.ctpop.i32(i32 %bal)
  %tz = call i32 @llvm.cttz.i32(i32 %v0, i1 0)
  %bs = call i32 @llvm.bswap.i32(i32 %other)
  %fs = call i32 @llvm.fshl.i32(i32 %bs, i32 %v0, i32 %tz)
  %v1o = or i32 %v1, 1
  %dv = udiv i32 %fs, %v1o
  %rm = urem i32 %fs, 10
  %m = zext i32 %fs to i64
  %v164 = zext i32 %v1 to i64
  %w = mul i64 %m, %v164
  %wh = lshr i64 %w, 32
  %wt = trunc i64 %wh to i32
  %arr = insertvalue [4 x i32] [i32 1, i32 2, i32 3, i32 4], i32 %pc, 3
  %cr = call {i32,i32} @mix(i32 %s3, i64 %w, [4 x i32] %arr)
  %cr0 = extractvalue {i32,i32} %cr, 0
  %cr1 = extractvalue {i32,i32} %cr, 1
  %loc = alloca [4 x i32]
  store i32 %cr0, ptr %loc
  call void @bump(ptr %loc)
  %ll = load i32, ptr %loc
  %t3 = and i32 %tid, 3
  %tp = getelementptr [4 x i32], ptr addrspace(4) @tab, i32 0, i32 %t3
  %tv = load i32, ptr addrspace(4) %tp
  %h = trunc i32 %other to i8
  %h2 = add i8 %h, 77
  %h3 = lshr i8 %h2, 1
  %hs = sext i8 %h3 to i32
  %x1 = xor i32 %tv, %ll
  %x2 = add i32 %x1, %dv
  %x3 = add i32 %x2, %hs
  switch i32 %t3, label %exit [i32 0, label %sa
   i32 1, label %sb
   i32 2, label %sc]
sa:
  br label %exit
sb:
  %qb = add i32 %wt, 1
  br label %exit
sc:
  %qc = sub i32 %rm, %wt
  br label %exit
exit:
  %q = phi i32 [%x3,%done],[%rm,%sa],[%qb,%sb],[%qc,%sc]
  %o0 = insertelement <4 x i32> undef, i32 %x3, i32 0
  %o1v = insertelement <4 x i32> %o0, i32 %cr1, i32 1
  %o2v = insertelement <4 x i32> %o1v, i32 %q, i32 2
  %o3v = insertelement <4 x i32> %o2v, i32 %k1, i32 3
  %op = getelementptr [4 x i32], ptr addrspace(1) %out, i64 %i64
  store <4 x i32> %o3v, ptr addrspace(1) %op, align 16
  ret void
}
