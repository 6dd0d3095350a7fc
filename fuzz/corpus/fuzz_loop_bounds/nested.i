# 1 "a.c"
# 1 "b.h" 1
void g(void);
# 2 "a.c" 2
void f(int n) {
#pragma loopbound min 1 max 8
  for (int i = 0; i < n; i++) {
#pragma loopbounds min 0 max 5

    while (n--) g();
  }
}
